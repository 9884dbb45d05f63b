import { SvcError } from '@svc/errors'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Operations } from '../../../operations/operations.ts'
import { toWireOperation, toWireRecord, toWireStaging } from './to-wire.ts'

const wire = () => import('@svc/wire/native')

const shared = { access: 'admin', family: 'flat', tag: 'operations' } as const

/** The routes of operations (§4.6). */
export function operationRoutes(operations: Operations): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/operations',
      summary: 'Operations that wait, run or have failed',
      quiet: true,
      revalidated: true,
      responses: {
        200: { description: 'The least advanced first.', schema: async () => (await wire()).operationList },
      },
      handler: () => {
        const listed = [...operations.list().map(toWireOperation), ...operations.staging().map(toWireStaging)]
        return json({ operations: listed.toSorted((one, other) => one.progress - other.progress) })
      },
    }),
    changeRoute('cancel', {
      summary: 'End a queued operation or a running installation, and discard what it has fetched',
      message: 'Operation cancelled',
      change: (jobId) => operations.cancel(jobId),
    }),
    changeRoute('pause', {
      summary: 'End a queued operation or a running installation, and keep what it has fetched',
      message: 'Operation paused',
      change: (jobId) => operations.pause(jobId),
    }),
    changeRoute('dismiss', {
      summary: 'Acknowledge a failed operation: it goes to the history',
      message: 'Operation dismissed',
      change: (jobId) => operations.dismiss(jobId),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/operations/history',
      summary: 'The last 50 finished operations',
      quiet: true,
      revalidated: true,
      responses: { 200: { description: 'The newest first.', schema: async () => (await wire()).operationHistory } },
      handler: async () => json({ operations: (await operations.history()).map(toWireRecord) }),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/api/operations/history',
      summary: 'Clear the history',
      audit: { change: 'operation.clear-history' },
      responses: {
        200: { description: 'It is empty.', schema: async () => (await import('./schemas.ts')).historyCleared },
        500: { description: 'It could not be cleared.' },
      },
      async handler() {
        try {
          await operations.clearHistory()
        } catch (cause) {
          if (SvcError.is(cause) && cause.kind === 'unavailable') throw cause
          const reason = cause instanceof Error ? cause.message : String(cause)
          throw new SvcError('internal', `the history could not be cleared: ${reason}`, {
            code: 'history_not_cleared',
            cause,
          })
        }
        return json({ success: true })
      },
    }),
  ]
}

function changeRoute(
  verb: string,
  row: { readonly summary: string; readonly message: string; change(jobId: string): Promise<void> },
): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: `/api/operations/:jobID/${verb}`,
    summary: row.summary,
    audit: { change: `operation.${verb}`, target: 'jobID' },
    responses: {
      200: { description: 'Done.', schema: async () => (await wire()).operationChanged },
      400: { description: 'There is no such operation, or it cannot be ended.' },
    },
    async handler(call) {
      await row.change(call.param('jobID'))
      return json({ success: true, message: row.message })
    },
  })
}
