import type { ConverterDecodeOptions, ConverterEncodeOptions } from '../encode/converter.ts'
import type { AudioContainer } from '../sniff/types.ts'

/** The demuxer of each container. No other may open the input: playlists and scripts of ffmpeg name other files. */
const DEMUXERS: Readonly<Record<AudioContainer, string>> = {
  wav: 'wav',
  mp3: 'mp3',
  flac: 'flac',
  ogg: 'ogg',
  mp4: 'mov',
  adts: 'aac',
  webm: 'matroska',
  matroska: 'matroska',
  aiff: 'aiff',
  amr: 'amr',
  caf: 'caf',
  asf: 'asf',
}

/** Containers whose index may be at the end: ffmpeg has to seek, which a pipe cannot. */
export const NEEDS_FILE: ReadonlySet<AudioContainer> = new Set(['mp4', 'caf', 'aiff'])

const COMMON = ['-nostdin', '-hide_banner', '-loglevel', 'error']

/** Arguments before an input. ffmpeg opens nothing but this input, whatever the input refers to. */
function inputArguments(demuxer: string): readonly string[] {
  return ['-protocol_whitelist', 'pipe,file', '-format_whitelist', demuxer, '-f', demuxer]
}

/** Arguments that encode s16le samples of standard input to standard output. */
export function encodeArguments(options: ConverterEncodeOptions): readonly string[] {
  const { format, sampleRate, channels, bitRate } = options
  const quality = bitRate === undefined || format === 'flac' ? [] : ['-b:a', String(bitRate)]
  return [
    ...COMMON,
    ...inputArguments('s16le'),
    ...['-ar', String(sampleRate), '-ac', String(channels), '-i', 'pipe:0'],
    ...['-map', '0:a:0', '-map_metadata', '-1', '-c:a', format, ...quality],
    ...['-f', format === 'aac' ? 'adts' : 'flac', 'pipe:1'],
  ]
}

/** Arguments that decode a file to s16le samples on standard output. `path` is absolute; without it, standard input. */
export function decodeArguments(options: Omit<ConverterDecodeOptions, 'signal'>, path?: string): readonly string[] {
  const { type, sampleRate, channels, maxSeconds } = options
  return [
    ...COMMON,
    ...inputArguments(DEMUXERS[type.container]),
    ...['-i', path === undefined ? 'pipe:0' : `file:${path}`],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(maxSeconds)],
    ...['-ar', String(sampleRate), '-ac', String(channels), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'],
  ]
}
