import * as z from 'zod'

/** One target of a chain, and how it is. */
export const failoverTarget = z.looseObject({
  model: z.string(),
  /** `down` after failures, `resting` while it is rate-limited. */
  status: z.enum(['up', 'down', 'resting']),
  since: z.iso.datetime(),
  /** Until when it rests; only of a target that does. */
  resting_until: z.iso.datetime().exactOptional(),
  /** Good looks in a row while it is down. */
  good_probes: z.int().min(0),
  /** Whether it is kept loaded while another one serves. */
  warm: z.boolean(),
})

/** A model whose targets answer for it, one after the other. */
export const failoverChain = z.looseObject({
  name: z.string(),
  /** The target that served last; the first one until one has. Null where the chain cannot be. */
  serving: z.string().nullable(),
  /** The target that is asked alone; null while all are. */
  pinned: z.string().nullable(),
  /** In the order in which they are asked. */
  targets: z.array(failoverTarget),
  /** Why the chain cannot be; it has no targets then. */
  error: z.string().exactOptional(),
})

/** Reply of `GET /api/failover/chains`, in byte order of the names. */
export const failoverChainList = z.looseObject({ chains: z.array(failoverChain) })

/** Body of `POST /api/failover/chains/:name/pin`. */
export const failoverPinRequest = z.looseObject({ target: z.string().min(1) })

/** Data of the events of `GET /api/failover/events`; the event's name is the `type`. */
export const failoverEvent = z.discriminatedUnion('type', [
  /** How all chains are: the first event, and again when one of them begins anew as its file is another one. */
  z.looseObject({ type: z.literal('chains'), chains: z.array(failoverChain) }),
  z.looseObject({
    type: z.literal('state'),
    at: z.iso.datetime(),
    chain: z.string(),
    target: z.string(),
    from: failoverTarget.shape.status,
    to: failoverTarget.shape.status,
  }),
  z.looseObject({
    type: z.literal('switch'),
    at: z.iso.datetime(),
    chain: z.string(),
    from: z.string(),
    to: z.string(),
  }),
  z.looseObject({ type: z.literal('pin'), at: z.iso.datetime(), chain: z.string(), target: z.string().nullable() }),
])

/** One target of a chain. */
export type FailoverTargetState = z.infer<typeof failoverTarget>
/** A chain and how its targets are. */
export type FailoverChain = z.infer<typeof failoverChain>
/** Reply of `GET /api/failover/chains`. */
export type FailoverChainList = z.infer<typeof failoverChainList>
/** Something that changed. */
export type FailoverChange = z.infer<typeof failoverEvent>
