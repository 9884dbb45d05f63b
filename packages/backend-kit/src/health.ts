import type { BackendHandlers } from './handlers.ts'

/** The answer of a process that can take calls. Hosts compare it byte for byte. */
export const healthy: NonNullable<BackendHandlers['health']> = () => ({ message: Buffer.from('OK') })
