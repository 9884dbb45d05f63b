import type { ReactNode } from 'react'
import * as styles from './icon.module.css'

/** Drawings on a grid of 24, with a stroke of 1.6 at 16 px. */
const DRAWINGS = {
  activity: <path d="M12 4v11M7 10.5l5 5 5-5M5 20h14" />,
  attach: (
    <path d="M19 11l-7.500 7.500a4.500 4.500 0 0 1-6.300-6.300L13 4.300a3 3 0 0 1 4.200 4.200L9.500 16a1.400 1.400 0 0 1-2-2L14 7.500" />
  ),
  chart: <path d="M5 20V11M12 20V4M19 20v-6" />,
  chat: <path d="M20 5H4v11h4v4l5-4h7z" />,
  check: <path d="M5 12.500l4.500 4.500L19 7" />,
  'chevron-down': <path d="M7 10l5 5 5-5" />,
  'chevron-left': <path d="M14 7l-5 5 5 5" />,
  'chevron-right': <path d="M10 7l5 5-5 5" />,
  code: <path d="M8 7l-5 5 5 5M16 7l5 5-5 5" />,
  copy: (
    <>
      <rect x="8" y="8" width="12" height="12" rx="2" />
      <path d="M4 16V5a1 1 0 0 1 1-1h11" />
    </>
  ),
  cpu: (
    <>
      <rect x="7" y="7" width="10" height="10" rx="1" />
      <path d="M10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4" />
    </>
  ),
  cube: <path d="M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" />,
  dots: <path d="M6 12h.01M12 12h.01M18 12h.01" strokeWidth="2.600" />,
  edit: <path d="M4 20l1-4L16 5l3 3L8 19z" />,
  events: <path d="M4 5h16v14H4zM8 9h8M8 13h5" />,
  file: <path d="M6 3h8l4 4v14H6zM14 3v4h4" />,
  filter: <path d="M4 6h16M7 12h10M10 18h4" />,
  gauge: <path d="M4 18a9 9 0 1 1 16 0M12 14l4-5" />,
  home: <path d="M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />,
  info: (
    <>
      <circle cx="12" cy="12" r="9" />
      <path d="M12 11v5M12 8h.01" />
    </>
  ),
  key: (
    <>
      <circle cx="8" cy="15" r="4" />
      <path d="M11 12l8-8M16 7l3 3" />
    </>
  ),
  lock: <path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  microphone: (
    <>
      <rect x="9" y="3" width="6" height="11" rx="3" />
      <path d="M5.5 11.500a6.500 6.500 0 0 0 13 0M12 18v3M9 21h6" />
    </>
  ),
  nodes: (
    <>
      <rect x="4" y="4" width="16" height="6.500" rx="1.500" />
      <rect x="4" y="13.500" width="16" height="6.500" rx="1.500" />
      <path d="M7.500 7.250h.01M7.500 16.750h.01" strokeWidth="2.600" />
    </>
  ),
  pause: <path d="M9 6v12M15 6v12" />,
  playground: <path d="M7 4.5v15l12-7.5z" />,
  plug: <path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" />,
  plus: <path d="M12 5v14M5 12h14" />,
  raw: <path d="M5 6h14M5 10h10M5 14h14M5 18h7" />,
  regenerate: <path d="M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5" />,
  route: (
    <>
      <circle cx="6" cy="6" r="2.5" />
      <circle cx="18" cy="18" r="2.5" />
      <path d="M8.5 6H15a3 3 0 0 1 0 6H9a3 3 0 0 0 0 6h6.5" />
    </>
  ),
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="M16 16l4.500 4.500" />
    </>
  ),
  send: <path d="M12 19V5M6 11l6-6 6 6" />,
  settings: (
    <>
      <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
      <circle cx="15" cy="7" r="2" />
      <circle cx="9" cy="17" r="2" />
    </>
  ),
  speaker: <path d="M4 9.500v5h3.500L12 19V5L7.500 9.500zM15.500 9a4.200 4.200 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11" />,
  share: <path d="M12 15V4M8 7.500L12 4l4 3.500M5 13v6h14v-6" />,
  shield: <path d="M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z" />,
  stop: <rect x="7" y="7" width="10" height="10" rx="1.500" fill="currentColor" />,
  theme: (
    <>
      <path d="M12 3a9 9 0 1 0 0 18z" fill="currentColor" />
      <circle cx="12" cy="12" r="9" />
    </>
  ),
  thinking: <path d="M9 18h6M10 21h4M8.500 15c-1.500-1.300-2.500-3-2.500-5a6 6 0 0 1 12 0c0 2-1 3.700-2.500 5z" />,
  tool: (
    <path d="M14.500 6.500a4 4 0 0 1 5-1.500l-2.500 2.500.5 2 2 .5L22 7.500a4 4 0 0 1-5.500 5L9 20a2 2 0 0 1-3-3l7.500-7.500a4 4 0 0 1 1-3z" />
  ),
  traces: <path d="M4 6h9M4 12h16M4 18h12" />,
  trash: <path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13" />,
  up: <path d="M7 14l5-5 5 5" />,
  users: (
    <>
      <circle cx="9" cy="8" r="3.5" />
      <path d="M3 20c0-3.5 2.5-5.5 6-5.5s6 2 6 5.5M16 5a3.2 3.2 0 0 1 0 6M18 15c2 .7 3 2.400 3 5" />
    </>
  ),
  warn: <path d="M12 4l9 16H3zM12 10v4M12 17h.01" />,
  wrap: <path d="M4 6h16M4 12h13a3 3 0 0 1 0 6h-5M14 15l-3 3 3 3M4 18h3" />,
  x: <path d="M6 6l12 12M18 6L6 18" />,
  external: <path d="M14 4h6v6M20 4l-9 9M17 14v5H5V7h5" />,
  globe: (
    <>
      <circle cx="12" cy="12" r="8.500" />
      <path d="M3.500 12h17M12 3.500c3 3 3 14 0 17M12 3.500c-3 3-3 14 0 17" />
    </>
  ),
  logout: <path d="M10 4H5v16h5M14 8l4 4-4 4M18 12H9" />,
} as const satisfies Record<string, ReactNode>

export type IconName = keyof typeof DRAWINGS

/** An icon without a name of its own: the text or the label beside it explains it. */
export function Icon({ name, small = false }: { readonly name: IconName; readonly small?: boolean }) {
  return (
    <svg className={small ? `${styles.icon} ${styles.small}` : styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      {DRAWINGS[name]}
    </svg>
  )
}
