import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import i18next from 'i18next'
import type { ComponentType } from 'react'
import { capabilitiesQuery } from '../lib/capabilities.ts'
import { queryClient } from '../lib/query-client.ts'
import { sessionQuery } from '../lib/session.ts'
import { findRefusal, type PageAccess, type RefusalContext } from './pages.ts'
import { withRefusal } from './with-refusal.tsx'

/** The module of a page. Write it as the result of every `load`: the types of links come from the routes. */
export interface PageModule {
  readonly default: ComponentType
}

/** A page below `/app`. */
interface PageOptions<Path extends string, Search> extends PageAccess {
  readonly path: Path
  /** Translations that load with the page. */
  readonly namespaces: readonly string[]
  /** Reads the search parameters; anything unknown or wrong becomes its default. */
  readonly search?: (parameters: Record<string, unknown>) => Search
  /** Loads the page's module and picks its component. */
  readonly load: () => Promise<PageModule>
}

/**
 * Defines the route of a page: its guard runs before anything is drawn, its code and translations load together.
 * A refused page is replaced by a page that names the missing right or part.
 */
export function definePage<const Parent extends AnyRoute, const Path extends string, Search = Record<never, never>>(
  parent: Parent,
  { path, namespaces, search, load, ...access }: PageOptions<Path, Search>,
) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    validateSearch: (parameters: Record<string, unknown>): Search => search?.(parameters) ?? ({} as Search),
    async beforeLoad(): Promise<RefusalContext> {
      const [session, capabilities] = await Promise.all([
        queryClient.ensureQueryData(sessionQuery),
        queryClient.ensureQueryData(capabilitiesQuery),
      ])
      // a refusal is an answer: an error would be reported with its stack
      return { refusal: findRefusal(access, session, capabilities) }
    },
    loader: ({ context: { refusal } }) => (refusal === undefined ? i18next.loadNamespaces([...namespaces]) : undefined),
    component: withRefusal(lazyRouteComponent(load)),
  })
}
