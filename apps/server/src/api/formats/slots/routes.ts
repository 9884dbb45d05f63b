import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'

const wire = () => import('@svc/wire/native')

/** The answers of both routes beside 200. */
const REFUSALS = {
  412: { description: 'The model was loaded without saving, or the saved state does not match its record.' },
  501: { description: 'The backend of the model cannot save and restore slots.' },
}

/** `POST /v1/slots/save` and `/v1/slots/restore` (§4.3): for admins, who keep long prompts of a model evaluated. */
export function slotRoutes(parts: InferenceRouteParts): Route[] {
  const shared = {
    method: 'POST',
    access: 'admin',
    family: 'compatible',
    usecase: 'slots',
    modelRequired: true,
    unknownModel: 'invalid_request',
    scanned: false,
    tag: 'inference',
    query: modelQuery,
  } as const
  return [
    defineInferenceRoute(
      {
        ...shared,
        path: '/v1/slots/save',
        summary: 'Saves the state of a slot',
        audit: { change: 'slot.save' },
        body: async () => (await wire()).slotSaveRequest,
        responses: {
          200: { description: 'The id of the saved state.', schema: async () => (await wire()).slotSaveReply },
          ...REFUSALS,
          507: { description: 'The state has more than 8 GiB and was deleted, or the disk is full.' },
        },
      },
      async () => (await import('./formats.ts')).saveFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/v1/slots/restore',
        summary: 'Puts a saved state into a slot',
        audit: { change: 'slot.restore' },
        body: async () => (await wire()).slotRestoreRequest,
        responses: {
          200: { description: 'The restored state.', schema: async () => (await wire()).slotRestoreReply },
          404: { description: 'No state of this model is saved under this id.' },
          ...REFUSALS,
        },
      },
      async () => (await import('./formats.ts')).restoreFormat,
      parts,
    ),
  ]
}
