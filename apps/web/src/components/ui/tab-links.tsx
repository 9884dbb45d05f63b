import { Link } from '@tanstack/react-router'
import * as segmentedStyles from './segmented.module.css'

/** One of the views of a page, each with its own address. */
export interface TabLink {
  /** Path of the interface, such as `/app/account/keys`. */
  readonly to: string
  readonly text: string
}

/** Links between the views of a page, at the head of it. */
export function TabLinks({ label, links }: { readonly label: string; readonly links: readonly TabLink[] }) {
  return (
    <nav className={segmentedStyles.segmented} aria-label={label}>
      {links.map(({ to, text }) => (
        <Link key={to} to={to as '/app'} activeOptions={{ exact: true, includeSearch: false }}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
