import type { ErrorComponentProps } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

const load = () => import('./failures.tsx')
const LazyPageFailure = lazy(async () => ({ default: (await load()).PageFailure }))
const LazyRootFailure = lazy(async () => ({ default: (await load()).RootFailure }))
const LazyNotFoundPage = lazy(async () => ({ default: (await load()).NotFoundPage }))

/** In place of a page that failed; loads when the first page fails. */
export function PageFailure(props: ErrorComponentProps) {
  return (
    <Suspense>
      <LazyPageFailure {...props} />
    </Suspense>
  )
}

/** In place of everything, when the frame itself failed. */
export function RootFailure(props: ErrorComponentProps) {
  return (
    <Suspense>
      <LazyRootFailure {...props} />
    </Suspense>
  )
}

/** In place of a page that does not exist. */
export function NotFoundPage() {
  return (
    <Suspense>
      <LazyNotFoundPage />
    </Suspense>
  )
}
