import { BackendService, VADRequest, VADResponse } from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Voice activity. */
export const vadMethods = {
  /** Where in the samples someone speaks. */
  vad: unary(BackendService.vad, VADRequest, VADResponse),
} as const
