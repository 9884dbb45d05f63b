import { copyFileSync } from 'node:fs'
import type { BackendAnswers } from '../state.ts'
import { readAudioSeconds, SAMPLE_RATE } from '../wav.ts'

const OPUS_RATE = 48_000
const FRAME_SAMPLES = 960
const FRAME_BYTES = FRAME_SAMPLES * 2
const WINDOW = 160

/** Converts sound to something else. "Opus" frames are bare PCM: the output is the input. */
export const audioAnswers = {
  /** Windows of 10 ms that are louder than a hundredth. */
  vad({ audio }) {
    const segments: Array<{ start: number; end: number }> = []
    let start: number | undefined
    for (let from = 0; from < audio.length; from += WINDOW) {
      const isLoud = audio.slice(from, from + WINDOW).some((sample) => Math.abs(sample) > 0.01)
      if (isLoud) start ??= from / SAMPLE_RATE
      else if (start !== undefined) {
        segments.push({ start, end: from / SAMPLE_RATE })
        start = undefined
      }
    }
    // An end of 0: the speech continues past the samples.
    if (start !== undefined) segments.push({ start, end: 0 })
    return { segments }
  },
  diarize({ dst, includeText }) {
    const seconds = readAudioSeconds(dst)
    const middle = seconds / 2
    const text = (speaker: string) => (includeText ? `words of ${speaker}` : '')
    return {
      segments: [
        { id: 0, start: 0, end: middle, speaker: 'SPEAKER_00', text: text('SPEAKER_00') },
        { id: 1, start: middle, end: seconds, speaker: 'SPEAKER_01', text: text('SPEAKER_01') },
      ],
      numSpeakers: 2,
      duration: seconds,
      language: 'en',
    }
  },
  soundDetection({ topK, threshold }) {
    const classes = [
      { label: 'Speech', score: 0.9, index: 0 },
      { label: 'Music', score: 0.4, index: 132 },
      { label: 'Silence', score: 0.1, index: 494 },
    ].filter(({ score }) => score >= threshold)
    return { detections: topK > 0 ? classes.slice(0, topK) : classes }
  },
  audioEncode({ pcmData }) {
    const frames: Uint8Array[] = []
    for (let from = 0; from < pcmData.length; from += FRAME_BYTES)
      frames.push(pcmData.subarray(from, from + FRAME_BYTES))
    return { frames, sampleRate: OPUS_RATE, samplesPerFrame: FRAME_SAMPLES }
  },
  audioDecode: ({ frames }) => ({
    pcmData: Buffer.concat(frames),
    sampleRate: OPUS_RATE,
    samplesPerFrame: FRAME_SAMPLES,
  }),
  audioTransform({ audioPath, referencePath, dst }) {
    copyFileSync(audioPath, dst)
    const samples = Math.round(readAudioSeconds(audioPath) * SAMPLE_RATE)
    return { dst, sampleRate: SAMPLE_RATE, samples, referenceProvided: referencePath !== '' }
  },
  async *audioTransformStream(requests) {
    let index = 0n
    for await (const { frame } of requests) {
      if (!frame) continue
      yield { pcm: frame.audioPcm, frameIndex: index }
      index += 1n
    }
  },
} satisfies Partial<BackendAnswers>
