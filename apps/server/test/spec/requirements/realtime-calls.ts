import { defineRequirements } from '../requirement.ts'

/** §26: spoken conversations over WebRTC. */
export const REALTIME_CALLS = defineRequirements([
  {
    id: 'realtime:calls:forms',
    section: '26',
    behavior:
      '`POST /v1/realtime/calls` takes an offer as `application/sdp` with `?model=`, as a form with `sdp` and `session`, and as JSON.',
    state: 'built',
  },
  {
    id: 'realtime:calls:offer',
    section: '26',
    behavior: 'An offer that cannot be used is 400 and says why; 64 KiB and 1,000 lines are its bounds.',
    state: 'built',
  },
  {
    id: 'realtime:calls:addresses',
    section: '26',
    behavior:
      'Nothing is sent to the addresses in an offer: the server answers whoever knows the password of the answer.',
    state: 'built',
  },
  {
    id: 'realtime:calls:own-addresses',
    section: '26',
    behavior:
      '`SVC_WEBRTC_NAT_1TO1_IPS` are offered first, and only the addresses of `SVC_WEBRTC_ICE_INTERFACES`; a client on the same machine is offered 127.0.0.1.',
    state: 'built',
  },
  {
    id: 'realtime:calls:port',
    section: '26',
    behavior: '`SVC_WEBRTC_UDP_PORT` is the one UDP port of all calls.',
    state: 'built',
  },
  {
    id: 'realtime:calls:spoken',
    section: '26',
    behavior: 'A browser holds a spoken conversation: sound as Opus in both directions, events over `oai-events`.',
    state: 'built',
  },
  {
    id: 'realtime:calls:interrupted',
    section: '26',
    behavior: 'A client that speaks over the voice of a call silences it; the item is cut at what was played.',
    state: 'built',
  },
  {
    id: 'realtime:calls:jitter',
    section: '26',
    behavior:
      'Packets of sound are put in order; a missing one is waited for 60 ms, up to 200 ms after late ones, and then made up.',
    state: 'built',
  },
  {
    id: 'realtime:calls:pace',
    section: '26',
    behavior: 'The voice is sent in frames of 20 ms without drift, with time stamps that silence moves on.',
    state: 'built',
  },
  {
    id: 'realtime:calls:freed',
    section: '26',
    behavior:
      'A call whose client leaves, never connects within 20 s or gives no sign for 15 s frees everything within two seconds.',
    state: 'built',
  },
  {
    id: 'realtime:calls:idle',
    section: '26',
    behavior:
      'A call in which nobody speaks, answers or sends an event for `realtime_idle_timeout` ends with an `error` event `session_idle`; sound of silence, reports and answers to silence are no sign.',
    state: 'built',
  },
  {
    id: 'realtime:calls:one-channel',
    section: '26',
    behavior: 'A call has one data channel; further ones are closed.',
    state: 'built',
  },
  {
    id: 'realtime:calls:hangup',
    section: '26',
    behavior: '`POST /v1/realtime/calls/{id}/hangup` ends a call of the caller.',
    state: 'built',
  },
  {
    id: 'realtime:calls:rights',
    section: '26',
    behavior: 'A call ends with the key that opened it, and its rights are checked at every turn.',
    state: 'built',
  },
  {
    id: 'realtime:calls:secret',
    section: '26',
    behavior: 'A client secret opens calls of its model with its session.',
    state: 'built',
  },
  {
    id: 'realtime:calls:sip',
    section: '26',
    behavior: 'The actions `accept`, `reject` and `refer` of telephone calls are refused by name with 501.',
    state: 'built',
  },
  {
    id: 'realtime:calls:library',
    section: '26',
    behavior: 'Without a WebRTC library calls are 501 with the command that installs it.',
    state: 'built',
  },
])
