import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { onRecovery } from './connection.ts'

let onSignedOut: () => void = () => {}

/** Sets the function that is called when a request finds that the session has ended. */
export function setSignedOutHandler(handler: () => void): void {
  onSignedOut = handler
}

/** Acts on an error that says that the session has ended. Requests outside of the query cache pass their errors in. */
export function watchSession(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) onSignedOut()
}

/**
 * The one cache of server state. Lists are fetched again on focus when they are older than 30 seconds; hidden tabs send
 * nothing. Errors are shown where they happened, so no request is repeated automatically.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watchSession }),
  mutationCache: new MutationCache({ onError: watchSession }),
  defaultOptions: {
    queries: { staleTime: 30_000, retry: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

onRecovery(() => void queryClient.invalidateQueries())
