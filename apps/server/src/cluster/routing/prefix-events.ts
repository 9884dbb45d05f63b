import xxhash from 'xxhash-wasm'
import * as z from 'zod'
import type { Messenger, Unsubscribe } from '../contract/messenger.ts'
import { createChainReader, type PrefixChain } from '../decisions/prefix-chain.ts'
import { createPrefixIndex, type PrefixIndexOptions, type PrefixView } from '../decisions/prefix-index.ts'
import type { ReplicaKey } from '../decisions/prefix-owners.ts'

const OBSERVE = 'prefixcache.observe'
const INVALIDATE = 'prefixcache.invalidate'
const MAX_NAME = 1024

// Hashes are unsigned 64-bit numbers, written in full by some; the nearest double is what every reader compares.
const place = z.object({
  model: z.string().min(1).max(MAX_NAME),
  node_id: z.string().min(1).max(MAX_NAME),
  replica: z.number().int(),
  /** The front end that sends it; others of this protocol send none. */
  from: z.string().nullish(),
})
const observation = place.extend({ chain: z.array(z.number().nonnegative()).max(64) })

/** The index of prefixes of a front end, which hears what the others route and tells them what it routes. */
export interface SharedPrefixes extends PrefixView {
  /** Hashes of the beginnings of a prompt. */
  readChain(model: string, prompt: string): PrefixChain
  /** Notes that a replica gets a prompt, here and at the other front ends. */
  observe(model: string, observed: { readonly chain: PrefixChain; readonly replica: ReplicaKey }): void
  /** Forgets a replica of a model everywhere; a negative index: all of the model on its node. */
  forget(model: string, replica: ReplicaKey): void
  /** Forgets all replicas of a node, here. Each front end does so when it sees the node go. */
  forgetNode(nodeId: string): void
  /** Ends the subscriptions. */
  close(): void
}

/**
 * Creates an index that front ends share over the bus. A lost message costs a cache hit and nothing else.
 *
 * @throws when WebAssembly cannot be compiled
 */
export async function createSharedPrefixes({
  messenger,
  frontEnd,
  now,
  ...options
}: PrefixIndexOptions & {
  readonly messenger: Pick<Messenger, 'publish' | 'subscribe'>
  /** Id of this server. */
  readonly frontEnd: string
  /** Milliseconds, of any clock that does not run backwards. */
  readonly now: () => number
}): Promise<SharedPrefixes> {
  const { h64Raw } = await xxhash()
  const index = createPrefixIndex(options)

  const subscriptions: readonly Unsubscribe[] = [
    messenger.subscribe(OBSERVE, (payload) => {
      const { success, data } = observation.safeParse(payload)
      if (!success || data.from === frontEnd || data.replica < 0) return
      const replica = { nodeId: data.node_id, replicaIndex: data.replica }
      index.observe(data.model, { chain: data.chain, replica, now: now() })
    }),
    messenger.subscribe(INVALIDATE, (payload) => {
      const { success, data } = place.safeParse(payload)
      if (success && data.from !== frontEnd)
        index.forget(data.model, { nodeId: data.node_id, replicaIndex: data.replica })
    }),
  ]
  const publish = (subject: string, model: string, replica: ReplicaKey, chain?: PrefixChain): void =>
    messenger.publish(subject, {
      model,
      ...(chain && { chain }),
      node_id: replica.nodeId,
      replica: replica.replicaIndex,
      from: frontEnd,
    })

  return {
    readChain: createChainReader(h64Raw),
    find: index.find,
    recentRequests: index.recentRequests,
    observe(model, { chain, replica }) {
      if (index.observe(model, { chain, replica, now: now() })) publish(OBSERVE, model, replica, chain)
    },
    forget(model, replica) {
      index.forget(model, replica)
      publish(INVALIDATE, model, replica)
    },
    forgetNode: index.forgetNode,
    close() {
      for (const end of subscriptions) end()
    },
  }
}
