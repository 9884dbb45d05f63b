import { SvcError } from '@svc/errors'
import type { SessionMemory } from './session-memory.ts'
import type { SessionSettings } from './settings.ts'

/**
 * Counts the texts that the settings of a session hold: two bytes a character at most.
 *
 * @returns counts changed settings in place of the former ones; throws `unavailable` and counts as before where there is
 *   no room
 */
export function createSettingsMemory(
  memory: SessionMemory,
): (settings: Pick<SessionSettings, 'answers' | 'transcription'>) => void {
  let counted = 0
  return ({ answers: { instructions, tools }, transcription }) => {
    const prompt = transcription?.prompt ?? ''
    const bytes = 2 * (instructions.length + JSON.stringify(tools).length + prompt.length)
    if (bytes > counted && !memory.add(bytes - counted)) {
      throw new SvcError('unavailable', 'the texts of all sessions take too much memory; retry shortly', {
        code: 'session_update_error',
      })
    }
    if (bytes < counted) memory.subtract(counted - bytes)
    counted = bytes
  }
}
