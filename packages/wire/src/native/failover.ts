import * as z from 'zod'

/** One target of a failover group with its state. */
export const failoverTarget = z.looseObject({
  model: z.string(),
  /** `down` after failures, `resting` while it is rate-limited. */
  status: z.enum(['up', 'down', 'resting']),
  since: z.iso.datetime(),
  /** End of the rest; only present while a target rests. */
  resting_until: z.iso.datetime().exactOptional(),
  /** Successful probes in a row while it is down. */
  good_probes: z.int().min(0),
  /** Whether it is kept loaded while another one serves. */
  warm: z.boolean(),
})

/** A failover group: its targets answer for it, in order. */
export const failoverChain = z.looseObject({
  name: z.string(),
  /** The target that served last; the first one before any has served. Null for a group with an error. */
  serving: z.string().nullable(),
  /** The only target that is asked, while one is pinned; else null. */
  pinned: z.string().nullable(),
  /** In the order in which they are asked. */
  targets: z.array(failoverTarget),
  /** The error of the group; such a group has no targets. */
  error: z.string().exactOptional(),
})

/** Reply of `GET /api/failover/chains`, in byte order of the names. */
export const failoverChainList = z.looseObject({ chains: z.array(failoverChain) })

/** Body of `POST /api/failover/chains/:name/pin`. */
export const failoverPinRequest = z.looseObject({ target: z.string().min(1) })

/** Data of the events of `GET /api/failover/events`; the event's name is the `type`. */
export const failoverEvent = z.discriminatedUnion('type', [
  /** States of all groups: the first event, and again after the file of a group changed. */
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

/** One target of a failover group. */
export type FailoverTargetState = z.infer<typeof failoverTarget>
/** A failover group with the state of its targets. */
export type FailoverChain = z.infer<typeof failoverChain>
/** Reply of `GET /api/failover/chains`. */
export type FailoverChainList = z.infer<typeof failoverChainList>
/** One change. */
export type FailoverChange = z.infer<typeof failoverEvent>
