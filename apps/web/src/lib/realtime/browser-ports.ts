import { captureSound } from './capture.ts'
import { connect, type Openers } from './connect.ts'
import { openCall } from './open-call.ts'
import { openSocket } from './open-socket.ts'
import type { TalkPorts } from './talk.ts'
import { openVoice } from './voice.ts'

/** One channel; the browser takes the voice of the model out of the microphone. */
const AUDIO = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } as const

/** The microphone, the voice and the ways to the server of this browser. */
export const BROWSER_PORTS: TalkPorts = {
  get openMicrophone() {
    const devices: MediaDevices | undefined = navigator.mediaDevices
    return devices === undefined ? undefined : () => devices.getUserMedia({ audio: AUDIO })
  },
  openVoice,
  connect: (choice, options) => connect(choice, options, OPENERS),
  captureSound,
  now: () => performance.now(),
}

const OPENERS: Openers = {
  openSocket,
  get openCall() {
    return typeof RTCPeerConnection === 'undefined' ? undefined : openCall
  },
}
