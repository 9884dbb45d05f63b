import { readPeers } from '../../federation/read-peers.ts'
import { isToken } from '../../p2p/token.ts'
import { defineSection, option, setting } from '../option.ts'
import { address } from '../places.ts'
import { wait } from '../quantities.ts'
import { line, onOff, SETTING_FORMS } from '../setting-kind.ts'
import { choice, positive, readWith, TEXT_FORMS, text, texts, toggle } from '../text-kind.ts'

/** The peers of a federation. */
const peerList = readWith(readPeers).register(TEXT_FORMS, {
  placeholder: 'PEERS',
  form: 'a list of URLs between commas, or a JSON list of {"url", "name", "api_key_env", "api_key_file", "pass_key"}; keys need https or an address of this machine',
  shape: 'single',
})

const TOKEN_FORM = 'a token of a peer-to-peer network'

function isTokenOrNone(text: string): boolean {
  return text === '' || text === '0' || isToken(text)
}

const token = readWith((text) => (isTokenOrNone(text) ? text : undefined)).register(TEXT_FORMS, {
  placeholder: 'TOKEN',
  form: TOKEN_FORM,
  shape: 'single',
})
const tokenLine = line.clone().refine(isTokenOrNone).register(SETTING_FORMS, { form: TOKEN_FORM })

/** Federation, and the peer-to-peer network. */
export const peers = defineSection({
  heading: 'Peer-to-peer',
  options: {
    federated: option(toggle, {
      flag: 'federated',
      env: ['SVC_FEDERATED'],
      default: 'false',
      about: 'send requests for models of the peers to them',
      setting: { federated: setting(onOff) },
    }),
    federatedPeers: option(peerList, {
      flag: 'federated-peers',
      env: ['SVC_FEDERATED_PEERS'],
      default: '',
      about: 'the servers that requests for their models go to',
    }),
    federatedChoice: option(choice('least-used', 'random'), {
      flag: 'federated-choice',
      env: ['SVC_FEDERATED_CHOICE'],
      default: 'least-used',
      about: 'which of the peers with a model gets a request',
    }),
    federatedCheckIntervalMs: option(wait, {
      flag: 'federated-check-interval',
      env: ['SVC_FEDERATED_CHECK_INTERVAL'],
      default: '10s',
      about: 'time between two health checks of a peer, 100ms at least',
    }),
    p2p: option(toggle, {
      flag: 'p2p',
      env: ['SVC_P2P'],
      default: 'false',
      about: 'join a peer-to-peer network',
    }),
    p2pToken: option(token, {
      flag: 'p2p-token',
      aliases: ['p2ptoken'],
      env: ['SVC_P2P_TOKEN'],
      default: '',
      about: 'token of the network; without one, or with 0, the server makes one',
      secret: true,
      setting: { p2p_token: setting(tokenLine, { secret: true }) },
    }),
    p2pNetworkId: option(text, {
      flag: 'p2p-network-id',
      env: ['SVC_P2P_NETWORK_ID'],
      default: '',
      about: 'a name that keeps networks of one token apart',
      setting: { p2p_network_id: setting(line) },
    }),
    p2pApiKey: option(text, {
      env: ['SVC_P2P_API_KEY'],
      default: '',
      about: 'key with which members of the network serve the requests of this server',
      secret: true,
    }),
    p2pListen: option(address, {
      flag: 'p2p-listen',
      env: ['SVC_P2P_LISTEN'],
      default: ':0',
      about: 'address at which the network reaches this server',
    }),
    p2pPeers: option(texts, {
      flag: 'p2p-peers',
      env: ['SVC_P2P_PEERS'],
      default: '',
      about: 'members to join by, beside those of the token',
    }),
    p2pMdns: option(toggle, {
      flag: 'p2p-mdns',
      env: ['SVC_P2P_MDNS'],
      default: 'false',
      about: 'find members in the local network by multicast',
    }),
    p2pDhtInterval: option(positive, {
      flag: 'p2p-dht-interval',
      env: ['SVC_P2P_DHT_INTERVAL'],
      default: '360',
      about: 'seconds between two looks into the table of peers',
    }),
    p2pOtpInterval: option(positive, {
      flag: 'p2p-otp-interval',
      env: ['SVC_P2P_OTP_INTERVAL'],
      default: '9000',
      about: 'seconds until the network changes its password',
    }),
  },
})
