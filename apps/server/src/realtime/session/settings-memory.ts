import { SvcError } from '@svc/errors'
import type { SessionMemory } from './session-memory.ts'
import type { AnswerSettings, SessionSettings } from './settings.ts'

/** The size in memory of the texts from which responses are made: two bytes a character at most. */
export function sizeOfTexts({ instructions, tools }: Pick<AnswerSettings, 'instructions' | 'tools'>): number {
  return 2 * (instructions.length + JSON.stringify(tools).length)
}

/** Creates the refusal of texts that have no room. */
export function tooManyTexts(): SvcError {
  return new SvcError('unavailable', 'the texts of all sessions take too much memory; retry shortly', {
    code: 'session_update_error',
  })
}

/**
 * Counts the texts that the settings of a session hold.
 *
 * @returns counts changed settings in place of the former ones; throws `unavailable` and counts as before where there is
 *   no room
 */
export function createSettingsMemory(
  memory: SessionMemory,
): (settings: Pick<SessionSettings, 'answers' | 'transcription'>) => void {
  let counted = 0
  return ({ answers, transcription }) => {
    const bytes = sizeOfTexts(answers) + 2 * (transcription?.prompt ?? '').length
    if (bytes > counted && !memory.add(bytes - counted)) throw tooManyTexts()
    if (bytes < counted) memory.subtract(counted - bytes)
    counted = bytes
  }
}
