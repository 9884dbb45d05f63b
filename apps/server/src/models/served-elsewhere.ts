import type { ModelConfig } from './model-config.ts'

/** Backends that send a request to another server. */
export const FORWARDING_BACKENDS: ReadonlySet<string> = new Set(['cloud-proxy', 'service-proxy'])

/** Whether a request of a model, or of one that may answer for it, leaves this machine. */
export function isServedElsewhere({ backend, standIns = [] }: Pick<ModelConfig, 'backend' | 'standIns'>): boolean {
  return FORWARDING_BACKENDS.has(backend.toLowerCase()) || standIns.some(({ model }) => isServedElsewhere(model))
}
