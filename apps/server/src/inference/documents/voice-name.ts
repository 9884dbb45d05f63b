import { leadsOut } from './check-setting.ts'

const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** A scheme of names, which backends resolve. */
const PROFILE = /^localai:\/\/voice-profiles\/[\w-][\w.-]{0,255}$/

/**
 * Whether a client may name a voice so. Some backends open a file of this name, so a path that leads out of their folder
 * is none.
 */
export function isVoiceName(voice: string): boolean {
  return PROFILE.test(voice) || (!leadsOut(voice) && !SCHEME.test(voice) && !/\p{Cc}/u.test(voice))
}
