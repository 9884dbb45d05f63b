import { findNewestLeaf, listSubtree, measureMessage } from './tree.ts'
import type { Attachment, Chat, Message } from './types.ts'

const TITLE_LENGTH = 70
/** A message that another tab writes is taken for interrupted after this time of silence. */
export const SILENCE_MS = 5_000

/** Gives a chat the title that its first message suggests: its text in one line, else the name of its first file. */
export function toTitle(text: string, attachments: readonly Attachment[]): string {
  const line = text.trim().replace(/\s+/g, ' ')
  const title = line === '' ? (attachments[0]?.name ?? '') : line
  return title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1)}…` : title
}

/** Puts a message in the place of the one with its id. */
export function replaceMessage(messages: readonly Message[], message: Message): readonly Message[] {
  return messages.map((other) => (other.id === message.id ? message : other))
}

/** Adds a question and the answer that begins. The first question names the chat. */
export function addTurn({ entry, messages }: Chat, question: Message, answer: Message): Chat {
  const title = entry.title === '' ? toTitle(question.text, question.attachments) : entry.title
  return {
    entry: { ...entry, title, leafId: answer.id, updatedAt: answer.createdAt },
    messages: [...messages, question, answer],
  }
}

/** Adds another version of an answer and shows it. */
export function addVersion({ entry, messages }: Chat, answer: Message): Chat {
  return { entry: { ...entry, leafId: answer.id, updatedAt: answer.createdAt }, messages: [...messages, answer] }
}

/** Marks a broken answer as being written again; its text so far stays. */
export function reopenAnswer(answer: Message, writer: Message['writer']): Message {
  const { background: _, failure: __, isCut: ___, serverFaults: ____, ...rest } = answer
  return { ...rest, state: 'streaming', writer }
}

/**
 * Takes a message and its successors out of a chat. The end of the chat is then the newest message below a given one. A
 * chat without messages has no title.
 *
 * @param leafId the message below which the reader stays; where it is gone, the last message is the end
 */
export function dropMessage(
  { entry, messages }: Chat,
  messageId: string,
  leafId: string | null,
): Chat & { readonly removed: ReadonlySet<string> } {
  const removed = listSubtree(messages, messageId)
  const rest = messages.filter(({ id }) => !removed.has(id))
  const isKnown = leafId !== null && rest.some(({ id }) => id === leafId)
  const leaf = isKnown ? findNewestLeaf(rest, leafId) : (rest.at(-1)?.id ?? null)
  return {
    entry: { ...entry, leafId: leaf, title: rest.length === 0 ? '' : entry.title },
    messages: rest,
    removed,
  }
}

/** Measures the messages of a chat for its row in the list. */
export function measureChat({ entry, messages }: Chat): Chat {
  return { entry: { ...entry, bytes: messages.reduce((sum, message) => sum + measureMessage(message), 0) }, messages }
}

/**
 * Decides about a message that was being written when its page went away. `wait`: another tab may still write it.
 * `resume`: the server continues it. `interrupt`: it stays unfinished.
 */
export function judgeUnfinished(
  { writer, background }: Pick<Message, 'writer' | 'background'>,
  { tab, now }: { readonly tab: string; readonly now: number },
): 'wait' | 'resume' | 'interrupt' {
  if (writer !== undefined && writer.tab !== tab && now - writer.at < SILENCE_MS) return 'wait'
  return background !== undefined && background.responseId !== '' ? 'resume' : 'interrupt'
}
