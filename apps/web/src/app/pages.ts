import type { IconName } from '../components/ui/icon.tsx'
import type { Capabilities, Capability } from '../lib/capabilities.ts'
import { hasFeature, type Session } from '../lib/session.ts'

/** A part of the navigation. */
export type PageGroup = 'use' | 'models' | 'observe' | 'control' | 'admin'

/** Properties of a page that guards and the navigation read. */
export interface PageAccess {
  /** `user`: everyone who is signed in. `admin`: admins, and everyone on a server without sign-in. */
  readonly access: 'user' | 'admin'
  /** A feature that a user needs, such as `pii_filter`. */
  readonly feature?: string
  /** The area of the server that the page needs. @default none */
  readonly needs?: Capability
  /** Whether the viewer has use for the page. @default always */
  readonly isUseful?: (session: Session) => boolean
}

/** An entry of the navigation. Its text is the key `nav.<id>`. */
export interface Page extends PageAccess {
  readonly id: string
  /** Below `/app`, such as `traces`; empty for the home page. */
  readonly path: string
  readonly group: PageGroup
  readonly icon: IconName
  /** The letter after `g` that goes there. */
  readonly key?: string
  /** The account menu has the page, the sidebar does not. @default false */
  readonly isMenuOnly?: boolean
}

/** Pages about the viewer's account. Servers without sign-in and servers with shared keys have no accounts. */
export const ACCOUNT_ACCESS: PageAccess = { access: 'user', isUseful: ({ viewer }) => viewer.kind === 'account' }

/**
 * Pages about accounts. A server with only shared keys says there why it has no accounts; an open server lacks them.
 */
export const USERS_ACCESS: PageAccess = { access: 'admin', isUseful: ({ viewer }) => viewer.kind !== 'open' }

/** Pages about settings; servers can be started without them. */
export const SETTINGS_ACCESS: PageAccess = { access: 'admin', needs: 'runtime_settings' }

const ENTRIES: readonly Omit<Page, 'path'>[] = [
  { id: 'home', group: 'use', icon: 'home', access: 'user', key: 'h' },
  { id: 'chat', group: 'use', icon: 'chat', access: 'user', feature: 'chat', key: 'c' },
  {
    id: 'talk',
    group: 'use',
    icon: 'microphone',
    access: 'user',
    feature: 'realtime',
    needs: 'realtime',
  },
  { id: 'playground', group: 'use', icon: 'playground', access: 'user' },
  {
    id: 'pii',
    group: 'use',
    icon: 'shield',
    access: 'user',
    feature: 'pii_filter',
    needs: 'pii_filter',
  },
  { id: 'api', group: 'use', icon: 'code', access: 'user' },
  { id: 'account', group: 'use', icon: 'users', isMenuOnly: true, ...ACCOUNT_ACCESS },
  { id: 'models', group: 'models', icon: 'cube', access: 'admin', key: 'm' },
  { id: 'backends', group: 'models', icon: 'plug', access: 'admin', needs: 'backend_gallery' },
  {
    id: 'activity',
    group: 'models',
    icon: 'activity',
    access: 'admin',
    needs: 'operations',
    key: 'a',
  },
  { id: 'monitor', group: 'observe', icon: 'gauge', access: 'admin' },
  { id: 'traces', group: 'observe', icon: 'traces', access: 'admin', needs: 'traces', key: 't' },
  { id: 'usage', group: 'observe', icon: 'chart', access: 'user', needs: 'usage', key: 'u' },
  { id: 'events', group: 'observe', icon: 'events', access: 'admin', needs: 'events' },
  { id: 'router', group: 'control', icon: 'route', access: 'user', needs: 'router' },
  {
    id: 'intercept',
    group: 'control',
    icon: 'lock',
    access: 'admin',
    needs: 'interception',
  },
  { id: 'nodes', group: 'control', icon: 'nodes', access: 'admin', needs: 'distributed' },
  { id: 'peers', group: 'control', icon: 'globe', access: 'admin', needs: 'p2p' },
  { id: 'agents', group: 'control', icon: 'thinking', access: 'admin', needs: 'agents' },
  {
    id: 'users',
    group: 'admin',
    icon: 'users',
    access: 'admin',
    isUseful: (session) => session.hasAccounts,
  },
  { id: 'settings', group: 'admin', icon: 'settings', ...SETTINGS_ACCESS },
]

/** The navigation, in its order. A page that this server does not serve, or the viewer may not see, is absent. */
export const PAGES: readonly Page[] = ENTRIES.map((page) => ({ ...page, path: page.id === 'home' ? '' : page.id }))

/** Whether a viewer may open a page; undefined where it may, else the reason. */
export function findRefusal(
  { access, feature, needs, isUseful }: PageAccess,
  session: Session,
  capabilities: Capabilities,
): Refusal | undefined {
  if (needs !== undefined && capabilities[needs] !== true) return { kind: 'absent' }
  if (isUseful?.(session) === false) return { kind: 'absent' }
  if (access === 'admin' && !session.viewer.isAdmin) return { kind: 'role' }
  if (feature !== undefined && !hasFeature(session.viewer, feature)) return { kind: 'feature', feature }
  return undefined
}

/** Result of a page's guard. */
export interface RefusalContext {
  readonly refusal: Refusal | undefined
}

/** The reason why a page is refused. */
export type Refusal = { readonly kind: 'absent' | 'role' } | { readonly kind: 'feature'; readonly feature: string }
