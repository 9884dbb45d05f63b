import { api } from './api-client.ts'
import { applyChanges } from './changes.ts'

/**
 * Makes the pages fetch data again that calls of the interface change. Calls of {@link api} without a row change none. The
 * table of calls comes with the first change, not with the first paint.
 */
export function followMutations(): void {
  api.use({
    async onResponse({ request: { method }, schemaPath }) {
      if (method === 'GET') return
      const table = await import('./mutations.ts').catch(() => undefined)
      // Without the table any page may be stale.
      if (table === undefined) applyChanges(['unknown'])
      else table.applyMutation(method, schemaPath)
    },
  })
}
