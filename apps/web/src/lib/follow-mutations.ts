import { api } from './api-client.ts'
import { applyMutation } from './changes.ts'

/** Has the pages fetch again what calls of the interface change. Calls of {@link api} without a row change nothing. */
export function followMutations(): void {
  api.use({
    onResponse({ request: { method }, schemaPath }) {
      if (method !== 'GET') applyMutation(method, schemaPath)
    },
  })
}
