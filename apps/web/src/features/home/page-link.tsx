import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../../components/ui/button.tsx'

/** A link that looks like a button. @param to path below `/app`, which another page has */
export function PageLink({
  to,
  isPlain = false,
  children,
}: {
  readonly to: string
  readonly isPlain?: boolean
  readonly children: ReactNode
}) {
  const [path = '', query = ''] = to.split('?')
  return (
    <Link
      className={isPlain ? `${buttonClass('ghost', 'small')} push` : buttonClass('small')}
      to={`/app/${path}` as '/app'}
      search={Object.fromEntries(new URLSearchParams(query)) as Record<never, never>}
    >
      {children}
    </Link>
  )
}
