/**
 * Bodies of the audio vendor: speech by a voice, sounds.
 *
 * @module
 */
export { type SoundGenerationRequest, soundGenerationRequest } from './sound.ts'
export { soundQuery, type VoiceSpeechRequest, voiceSpeechRequest } from './speech.ts'
