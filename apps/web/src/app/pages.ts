import type { IconName } from '../components/ui/icon.tsx'
import type { Capabilities, Capability } from '../lib/capabilities.ts'
import { hasFeature, type Session } from '../lib/session.ts'

/** A part of the navigation. */
export type PageGroup = 'use' | 'models' | 'observe' | 'control' | 'admin'

/** What guards and navigation know of a page. */
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
}

/** The navigation, in its order. A page that this server does not serve, or the viewer may not see, is absent. */
export const PAGES: readonly Page[] = [
  { id: 'home', path: '', group: 'use', icon: 'home', access: 'user', key: 'h' },
  {
    id: 'pii',
    path: 'pii',
    group: 'use',
    icon: 'shield',
    access: 'user',
    feature: 'pii_filter',
    needs: 'pii_filter',
  },
]

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

/** Why a page is refused. */
export type Refusal = { readonly kind: 'absent' | 'role' } | { readonly kind: 'feature'; readonly feature: string }
