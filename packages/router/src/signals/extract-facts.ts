import type { JsonNode } from '@svc/json'
import type { ProbeFormat } from '../probe/probe.ts'
import type { RequestFacts } from './facts.ts'

/** Types of message parts that hold a picture. */
const IMAGE_PARTS: ReadonlySet<string> = new Set(['image_url', 'input_image', 'image'])
/** Types of message parts that hold sound. */
const AUDIO_PARTS: ReadonlySet<string> = new Set(['input_audio', 'audio', 'audio_url'])
/** Parts that may hold further parts: results of tools. */
const OUTER_PARTS: ReadonlySet<string> = new Set(['tool_result', 'function_call_output'])
/** Roles whose turns come before the question of a user. */
const OPENING_ROLES: ReadonlySet<string> = new Set(['system', 'developer'])
/** UTF-16 code units of an opening that count. */
const MAX_OPENING = 8_192
const MAX_ID = 256

/** Facts that the body of a request says. */
export type BodyFacts = Pick<RequestFacts, 'hasImages' | 'hasAudio' | 'hasTools' | 'conversation' | 'opening'>

/**
 * Facts of a request, read from the token tree of its body: pictures, sound and tools in it, the id of its conversation
 * where the format has one, and the turns with which it begins.
 *
 * @param root the outermost value of the body, as `parseJson` gives it
 */
export function extractFacts(root: JsonNode, format: ProbeFormat): BodyFacts {
  const messages = findMessages(root, format)
  const seen = { images: false, audio: false }
  for (const message of messages) notePart(message, seen)
  if (isFilled(root.get('images'))) seen.images = true
  return {
    hasImages: seen.images,
    hasAudio: seen.audio,
    hasTools: isFilled(root.get('tools')) || isFilled(root.get('functions')),
    conversation: format === 'responses' ? readConversation(root) : undefined,
    opening: readOpening(root, format, messages),
  }
}

function findMessages(root: JsonNode, format: ProbeFormat): readonly JsonNode[] {
  const list = root.get(format === 'responses' ? 'input' : 'messages')
  return list?.kind === 'array' ? [...list.items()] : []
}

interface SeenMedia {
  images: boolean
  audio: boolean
}

function notePart(part: JsonNode, seen: SeenMedia, depth = 0): void {
  if (part.kind !== 'object') return
  const type = readText(part.get('type')) ?? ''
  if (IMAGE_PARTS.has(type) || isFilled(part.get('images'))) seen.images = true
  if (AUDIO_PARTS.has(type)) seen.audio = true
  if (depth > 0 && !OUTER_PARTS.has(type)) return
  for (const key of ['content', 'output']) {
    const inner = part.get(key)
    if (inner?.kind === 'array') for (const item of inner.items()) notePart(item, seen, depth + 1)
  }
}

function readConversation(root: JsonNode): string | undefined {
  const conversation = root.get('conversation')
  const id = readText(conversation?.kind === 'object' ? conversation.get('id') : conversation)
  return id === undefined || id === '' || id.length > MAX_ID ? undefined : id
}

/** The turns up to the first one of a user; empty where earlier turns are not in the body. */
function readOpening(root: JsonNode, format: ProbeFormat, messages: readonly JsonNode[]): string {
  if (isFilled(root.get('previous_response_id'))) return ''
  const texts = [root.get('instructions'), root.get('system')].map((node) => readSource(node))
  for (const message of messages) {
    const role = readText(message.get('role')) ?? ''
    texts.push(readSource(message.get('content')))
    if (!OPENING_ROLES.has(role)) break
  }
  if (messages.length === 0) texts.push(readSource(root.get(format === 'responses' ? 'input' : 'prompt')))
  const opening = texts.join('\n')
  return opening.length <= MAX_OPENING ? opening : `${opening.length} ${opening.slice(-MAX_OPENING)}`
}

/** A text, or the texts of a list of parts. */
function readSource(node: JsonNode | undefined): string {
  if (node?.kind === 'string') return node.text()
  if (node?.kind !== 'array') return ''
  return [...node.items()].map((part) => readText(part.get('text')) ?? '').join('\n')
}

function readText(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.text() : undefined
}

/** Whether a member is there with something in it. */
function isFilled(node: JsonNode | undefined): boolean {
  if (node?.kind === 'array') {
    for (const _ of node.items()) return true
    return false
  }
  return node?.kind === 'string' && node.text() !== ''
}
