import type { Message } from './types.ts'

/** The messages from the first one to a leaf, in order. @param leafId null for an empty chat */
export function listPath(messages: readonly Message[], leafId: string | null): readonly Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const path: Message[] = []
  const seen = new Set<string>()
  let next = leafId === null ? undefined : byId.get(leafId)
  while (next !== undefined && !seen.has(next.id)) {
    seen.add(next.id)
    path.push(next)
    next = next.parentId === null ? undefined : byId.get(next.parentId)
  }
  return path.reverse()
}

/** Versions of a message: everything with the same parent and role, oldest first. */
export function listVersions(messages: readonly Message[], message: Message): readonly Message[] {
  return messages
    .filter(({ parentId, role }) => parentId === message.parentId && role === message.role)
    .toSorted((left, right) => left.createdAt - right.createdAt)
}

/** The newest leaf below a message; the message itself if no message follows it. */
export function findNewestLeaf(messages: readonly Message[], id: string): string {
  let leaf = id
  for (let depth = 0; depth <= messages.length; depth++) {
    const children = messages.filter(({ parentId }) => parentId === leaf)
    const newest = children.toSorted((left, right) => right.createdAt - left.createdAt)[0]
    if (newest === undefined) return leaf
    leaf = newest.id
  }
  return leaf
}

/** The ids of a message and of everything that follows it, in all versions. */
export function listSubtree(messages: readonly Message[], id: string): ReadonlySet<string> {
  const found = new Set([id])
  const queue = [id]
  for (const parent of queue) {
    for (const child of messages) {
      if (child.parentId !== parent || found.has(child.id)) continue
      found.add(child.id)
      queue.push(child.id)
    }
  }
  return found
}

/** Approximate size of a message in the store, in bytes. */
export function measureMessage(message: Message): number {
  const attached = message.attachments.reduce((sum, { data }) => sum + data.length, 0)
  const called = message.toolCalls.reduce((sum, call) => sum + call.arguments.length + (call.result?.length ?? 0), 0)
  return 400 + 2 * (message.text.length + message.reasoning.length + called) + attached
}
