import { defineRequirements } from '../requirement.ts'

/** §26.6: pipelines of spoken conversations. */
export const PIPELINES = defineRequirements([
  {
    id: 'realtime:pipeline:no-requests',
    section: '26.6',
    behavior: 'A pipeline answers no requests: their refusal names `GET /v1/realtime`.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:nested',
    section: '26.6',
    behavior: 'A pipeline in a pipeline is refused by name when it is loaded.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:records',
    section: '26.6',
    behavior:
      'Each stage of a turn has a usage record and a trace of `/v1/realtime` with the id of the turn. The search for speech has none.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:filter',
    section: '26.6',
    behavior:
      'Turns pass the PII policy of the pipeline, and only with `pii.scan_realtime: true` in its file. Values are put back before they are spoken.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:any-to-any',
    section: '26.6',
    behavior: 'A model that hears and speaks is the model of a session, directly or as the `llm` of a pipeline.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:classifier',
    section: '26.6',
    behavior:
      'With `classifier` an answer from a list is spoken, or its tool called, without the language model. `localai.classifier.result` has the scores.',
    state: 'built',
  },
  {
    id: 'realtime:pipeline:speakers',
    section: '26.6',
    behavior:
      'With `voice_recognition` turns of strangers are dropped. Keys that need a register of voices are refused when the pipeline is loaded.',
    state: 'built',
  },
])
