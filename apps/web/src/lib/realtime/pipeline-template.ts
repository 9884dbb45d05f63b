/** A pipeline to begin with. Its voice, its detection of speech and its chat model are built in. */
export const PIPELINE_TEMPLATE = `name: talk
pipeline:
  vad: demo-vad # finds speech
  transcription: my-whisper # writes it down
  llm: demo # answers
  tts: demo-voice # speaks the answer
`
