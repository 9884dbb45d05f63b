import type { NodeStatus } from '../contract/nodes.ts'

/** Heartbeats older than this make a node offline, milliseconds. */
const STALE_MS = 60_000

/**
 * The status of a node by its heartbeat. A node that waits for approval stays pending, a draining one stays draining
 * while it is heard. A node that is heard again is healthy.
 *
 * @param now milliseconds since the epoch, by the clock that wrote `heartbeatAt`
 */
export function judgeHealth(
  node: { readonly status: NodeStatus; readonly heartbeatAt: number },
  now: number,
  staleMs = STALE_MS,
): NodeStatus {
  if (node.status === 'pending') return 'pending'
  if (now - node.heartbeatAt > staleMs) return 'offline'
  return node.status === 'draining' ? 'draining' : 'healthy'
}
