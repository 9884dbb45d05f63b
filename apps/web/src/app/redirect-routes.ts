import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router'
import { OLD_ADDRESSES } from './old-addresses.ts'

/** Routes of old addresses. They replace the address, so Back does not return to them. */
export function createRedirectRoutes<const Parent extends AnyRoute>(parent: Parent) {
  return OLD_ADDRESSES.map(({ path, to }) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      beforeLoad({ params, search }): void {
        const { path: href, search: found = {} } = to({ params, search })
        throw redirect({ to: href as '/', search: found as never, replace: true })
      },
    }),
  )
}
