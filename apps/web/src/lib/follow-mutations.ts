import { api } from './api-client.ts'
import { applyMutation } from './changes.ts'

/**
 * Makes the pages fetch data again that calls of the interface change. Calls of {@link api} without a row change none.
 */
export function followMutations(): void {
  api.use({
    onResponse({ request: { method }, schemaPath }) {
      if (method !== 'GET') applyMutation(method, schemaPath)
    },
  })
}
