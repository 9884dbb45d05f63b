import type { PromptTurns } from '../ports.ts'
import type { RouterPolicy } from '../settings.ts'

const ROLE = [
  'You sort conversations by the kind of work they ask for.',
  'The routes are listed between <routes> and </routes>, one a line, each with its name and its description.',
].join(' ')
const TASK = [
  'Read the conversation of the user and choose the route whose description fits it best.',
  'Answer with one JSON object of the form {"route": "<name>"} and nothing else.',
].join(' ')

/** The system turn of the classifier: the policies in their order, and the form of the answer. */
export function writeSystemTurn(policies: readonly RouterPolicy[]): string {
  const routes = policies.map(
    ({ label, description }) => `{"name": ${quote(label)}, "description": ${quote(description)}}`,
  )
  return [ROLE, ['<routes>', ...routes, '</routes>'].join('\n'), TASK].join('\n\n')
}

/** The answer that chooses a label, with the token that ends the turn. */
export function writeAnswer(label: string, turnEnd: string): string {
  return `{"route": ${quote(label)}}${turnEnd}`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Quotes a text as JSON does, but escapes only these five characters: models were trained only on their escapes. */
function quote(text: string): string {
  return `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`
}

/** The token that ends a turn of ChatML. */
export const CHATML_TURN_END = '<|im_end|>'

/** A prompt in ChatML, up to where the answer begins. */
export function renderChatml({ system, user }: PromptTurns): string {
  const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}${CHATML_TURN_END}\n`
  return `${turn('system', system)}${turn('user', user)}<|im_start|>assistant\n`
}

/**
 * The token that ends a turn: the first stop word that the template of messages holds, else the first that is not
 * empty.
 *
 * @returns an empty text where there is no stop word
 */
export function chooseTurnEnd(stopWords: readonly string[], messageTemplate: string): string {
  const words = stopWords.filter((word) => word !== '')
  return words.find((word) => messageTemplate.includes(word)) ?? words[0] ?? ''
}

const SPECIAL_TOKEN = /<\|([^|<>]{1,64})\|>/g

/**
 * A text in which nothing reads as a delimiter of the prompt around it: tokens such as `<|im_end|>` lose their form.
 */
export function neutraliseDelimiters(text: string, turnEnd: string): string {
  return text.replace(SPECIAL_TOKEN, '< |$1| >').replaceAll(turnEnd, () => [...turnEnd].join(' '))
}

const encoder = new TextEncoder()

/** Bytes of UTF-8 at the start of both texts that are the same. */
export function countCommonBytes(one: string, other: string): number {
  const [bytes, others] = [encoder.encode(one), encoder.encode(other)]
  let count = 0
  while (count < bytes.length && bytes[count] === others[count]) count++
  return count
}
