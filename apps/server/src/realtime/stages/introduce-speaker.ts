import type { ModelConfig } from '../../catalog/model-config.ts'
import type { StageMessage, ThinkRequest } from '../ports.ts'

type Identity = NonNullable<NonNullable<NonNullable<ModelConfig['pipeline']>['voiceRecognition']>['identity']>

/** Tells the model who speaks, as `voice_recognition.identity` says. */
export function introduceSpeaker(
  messages: readonly StageMessage[],
  speaker: ThinkRequest['speaker'],
  identity: Identity = {},
): readonly StageMessage[] {
  if (speaker === undefined || identity.personalize !== true) return messages
  const { name } = speaker
  const named = name !== undefined && identity.injectName === true ? nameLastUser(messages, name) : messages
  const note = toNote(name, identity)
  return note === undefined ? named : addNote(named, note)
}

function toNote(name: string | undefined, { injectSystemNote, noteUnknown }: Identity): string | undefined {
  if (name !== undefined) return injectSystemNote === true ? `The current speaker is ${name}.` : undefined
  return noteUnknown === true ? 'The current speaker is unknown.' : undefined
}

/** Names take letters, digits, `_` and `-` only, in requests of the compatible format. */
function nameLastUser(messages: readonly StageMessage[], name: string): readonly StageMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const plain = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '_').slice(0, 64)
  return messages.map((message, index) => (index === at ? { ...message, name: plain } : message))
}

function addNote(messages: readonly StageMessage[], note: string): readonly StageMessage[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system' || typeof first.content !== 'string')
    return [{ role: 'system', content: note }, ...messages]
  return [{ ...first, content: `${first.content}\n\n${note}` }, ...rest]
}
