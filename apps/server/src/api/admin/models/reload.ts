import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

/** `POST /models/reload` (§4.6): reads all model files again and notifies subscribers of the store. */
export function modelAdminRoutes(store: {
  reload(): Promise<{
    readonly problems: readonly string[]
    /** Replicas of changed models whose processes have not ended yet. */
    readonly pendingCleanup: number
  }>
}): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/models/reload',
      access: 'admin',
      family: 'compatible',
      tag: 'models',
      summary: 'Read the model files again',
      audit: { change: 'model.reload' },
      responses: {
        200: {
          description: 'Done; `details` lists files that did not load.',
          schema: async () => (await import('./schemas.ts')).reloadReply,
        },
      },
      async handler() {
        const { problems, pendingCleanup } = await store.reload()
        return json({
          success: true,
          message: 'Model configurations reloaded successfully',
          pending_cleanup: pendingCleanup,
          ...(problems.length > 0 ? { details: problems } : {}),
        })
      },
    }),
  ]
}
