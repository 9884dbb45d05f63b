import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'

/** The types of links come from the routes, which name these components; so their types are written down. */
interface Failures {
  readonly PageFailure: ComponentType<ErrorComponentProps>
  readonly RootFailure: ComponentType<ErrorComponentProps>
  readonly NotFoundPage: ComponentType
}

const load = (): Promise<Failures> => import('./failures.tsx')
const LazyPageFailure = lazy(async () => ({ default: (await load()).PageFailure }))
const LazyRootFailure = lazy(async () => ({ default: (await load()).RootFailure }))
const LazyNotFoundPage = lazy(async () => ({ default: (await load()).NotFoundPage }))

/** In place of a page that failed; loads when the first page fails. */
export function PageFailure(props: ErrorComponentProps): ReactNode {
  return (
    <Suspense>
      <LazyPageFailure {...props} />
    </Suspense>
  )
}

/** In place of everything, when the frame itself failed. */
export function RootFailure(props: ErrorComponentProps): ReactNode {
  return (
    <Suspense>
      <LazyRootFailure {...props} />
    </Suspense>
  )
}

/** In place of a page that does not exist. */
export function NotFoundPage(): ReactNode {
  return (
    <Suspense>
      <LazyNotFoundPage />
    </Suspense>
  )
}
