import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { onRecovery } from '../lib/connection.ts'
import * as standingNoticesStyles from './standing-notices.module.css'

/** Types of the components, written out because the types of links come from the routes, which name the components. */
interface Failures {
  readonly PageFailure: ComponentType<ErrorComponentProps>
  readonly RootFailure: ComponentType<ErrorComponentProps>
  readonly NotFoundPage: ComponentType
}

const load = (): Promise<Failures> =>
  import('./failures.tsx').catch(() => ({ PageFailure: Lost, RootFailure: Lost, NotFoundPage: Lost }))

/** In place of everything when the server went away before the failure pages came. The page loads again with the server. */
function Lost(): ReactNode {
  const { t } = useTranslation()
  useEffect(() => onRecovery(() => location.reload()), [])
  return (
    <p className={standingNoticesStyles.offline} role="alert">
      {t('error.unreachable')}
    </p>
  )
}
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
