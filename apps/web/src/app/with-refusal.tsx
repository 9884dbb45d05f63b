import { type RouteComponent, useMatch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { RefusalContext } from './pages.ts'

const RefusedPage = lazy(async () => ({ default: (await import('./failures.tsx')).RefusedPage }))

/** A page, or in its place one that says why the viewer may not see it. */
export function withRefusal(Page: RouteComponent): RouteComponent {
  const Guarded = () => {
    // the context of the innermost page, as its guard has left it
    const { refusal } = useMatch({ strict: false, select: ({ context }) => context as RefusalContext })
    if (refusal === undefined) return <Page />
    return (
      <Suspense>
        <RefusedPage refusal={refusal} />
      </Suspense>
    )
  }
  return Object.assign(Guarded, Page.preload && { preload: Page.preload }) as RouteComponent
}
