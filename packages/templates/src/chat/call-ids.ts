import { sha256 } from '../go/hash/sha256.ts'
import type { ChatCall } from './conversation.ts'

/**
 * The form of call ids that a template accepts: any, nine letters or digits (Mistral), or `functions.NAME:NUMBER`
 * (Kimi), where the id is the only place of the name.
 */
export type CallIdForm = 'any' | 'nine' | 'function'

/** Gives the calls of one conversation ids in the form of a template, and their results the same ones. */
export interface CallIds {
  /** Begins a turn with calls: results without an id answer its calls. */
  startTurn(): void
  /** The id of the next call, in order. */
  call(call: ChatCall): string
  /** The id of a result. A result without an id answers the first call of the turn that has no result yet. */
  result(id: string): string
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NINE = /^[a-zA-Z0-9]{9}$/

/** Maps ids. Equal ids of the client stay equal, so a prompt does not change when the conversation goes on. */
export function createCallIds(form: CallIdForm): CallIds {
  const known = new Map<string, string>()
  const taken = new Set<string>()
  let open: string[] = []
  let count = 0

  const choose = ({ id, name }: ChatCall): string => {
    const number = count++
    if (form === 'any') return id
    if (form === 'function') return toFunctionId(name, number)
    return known.get(id) ?? toFreeNine(id === '' ? `call ${number}` : id, taken)
  }

  return {
    startTurn: () => {
      open = []
    },
    call: (call) => {
      const id = choose(call)
      taken.add(id)
      if (call.id !== '') known.set(call.id, id)
      open.push(id)
      return id
    },
    result: (id) => {
      const mapped = id === '' ? (open[0] ?? '') : (known.get(id) ?? id)
      const place = open.indexOf(mapped)
      if (place >= 0) open.splice(place, 1)
      return form === 'nine' && !NINE.test(mapped) ? toFreeNine(mapped, taken) : mapped
    },
  }
}

/** The id of a call in the form `functions.NAME:NUMBER`, counted from 0 in the whole conversation. */
export function toFunctionId(name: string, number: number): string {
  return `functions.${name}:${number}`
}

/** The id itself if it fits, else a hash of it that no other id has. */
function toFreeNine(id: string, taken: ReadonlySet<string>): string {
  if (NINE.test(id)) return id
  let mapped = toNine(id)
  for (let attempt = 1; taken.has(mapped); attempt++) mapped = toNine(`${id} ${attempt}`)
  return mapped
}

function toNine(text: string): string {
  return Array.from(sha256(new TextEncoder().encode(text)).subarray(0, 9), (byte) => LETTERS[byte % 62]).join('')
}
