import { BackendDefinition } from '../gen/backend.ts'
import { duplex } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Relayed HTTP. */
export const forwardMethods = {
  /** Relays one HTTP exchange: the first message of each direction carries the head, the later ones body only. */
  forward: duplex(fullName, methods.forward),
} as const
