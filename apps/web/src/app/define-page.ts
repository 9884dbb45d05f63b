import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import i18next from 'i18next'
import type { ComponentType } from 'react'
import { capabilitiesQuery } from '../lib/capabilities.ts'
import { queryClient } from '../lib/query-client.ts'
import { sessionQuery } from '../lib/session.ts'
import { findRefusal, type PageAccess } from './pages.ts'
import { RefusedError } from './refused-error.ts'

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
 *
 * @throws RefusedError in the guard, which the shell shows as a page that names what is missing
 */
export function definePage<const Parent extends AnyRoute, const Path extends string, Search = Record<never, never>>(
  parent: Parent,
  { path, namespaces, search, load, ...access }: PageOptions<Path, Search>,
) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    validateSearch: (parameters: Record<string, unknown>): Search => search?.(parameters) ?? ({} as Search),
    async beforeLoad(): Promise<void> {
      const [session, capabilities] = await Promise.all([
        queryClient.ensureQueryData(sessionQuery),
        queryClient.ensureQueryData(capabilitiesQuery),
      ])
      const refusal = findRefusal(access, session, capabilities)
      if (refusal !== undefined) throw new RefusedError(refusal)
    },
    loader: () => i18next.loadNamespaces([...namespaces]),
    component: lazyRouteComponent(load),
  })
}
