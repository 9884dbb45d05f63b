import { isIP } from 'node:net'
import { defineSection, option } from '../option.ts'
import { integer, list, readWith, texts } from '../text-kind.ts'

/** Addresses of IPv4 and IPv6 between commas. */
const addresses = list(
  readWith((text) => (isIP(text) === 0 ? undefined : text)),
  { placeholder: 'IP', form: 'a list of IP addresses between commas' },
)

/** Spoken conversations over WebRTC. */
export const calls = defineSection({
  heading: 'Calls over WebRTC',
  options: {
    webrtcNat1To1Ips: option(addresses, {
      env: ['SVC_WEBRTC_NAT_1TO1_IPS'],
      default: '',
      about: 'addresses under which the server is reached from outside; calls offer them before its own',
    }),
    webrtcIceInterfaces: option(texts, {
      env: ['SVC_WEBRTC_ICE_INTERFACES'],
      default: '',
      about: 'network interfaces whose addresses calls offer; all without it',
    }),
    webrtcUdpPort: option(integer({ min: 0, max: 65_535 }), {
      env: ['SVC_WEBRTC_UDP_PORT'],
      default: '0',
      shownDefault: 'a free port for each call',
      about: 'the one UDP port of all calls',
    }),
  },
})
