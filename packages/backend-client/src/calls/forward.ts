import { BackendService, ForwardReply, ForwardRequest } from '../gen/backend.ts'
import { duplex } from '../method.ts'

/** Relayed HTTP. */
export const forwardMethods = {
  /** Relays one HTTP exchange: the first message of each direction carries the head, the later ones body only. */
  forward: duplex(BackendService.forward, ForwardRequest, ForwardReply),
} as const
