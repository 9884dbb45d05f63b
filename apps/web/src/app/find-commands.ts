import type { IconName } from '../components/ui/icon.tsx'
import { createMatcher } from '../lib/match-words.ts'

/** Something that the palette finds. */
export interface Command {
  readonly id: string
  readonly kind: 'page' | 'action' | 'model' | 'chat' | 'setting' | 'reference'
  readonly text: string
  /** Further words that find it. */
  readonly words?: string
  readonly icon: IconName
  readonly run: () => void
}

/** Commands that are shown at a time. */
const MAX_SHOWN = 40
/** A correlation id, as replies and logs have it. */
const REFERENCE = /^[\w-]{8,128}$/
const HAS_DIGIT = /\d/

/** The commands that have every word; without a word pages and actions, which are few. */
export function findCommands(commands: readonly Command[], text: string): Command[] {
  if (text.trim() === '') return commands.filter(({ kind }) => kind === 'page' || kind === 'action')
  const matches = createMatcher(text)
  return commands.filter((command) => matches(`${command.text} ${command.words ?? ''}`)).slice(0, MAX_SHOWN)
}

/** Whether a text may be a correlation id: one long word with a digit. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text) && HAS_DIGIT.test(text)
}
