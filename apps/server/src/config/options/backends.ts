import { defineSection, option } from '../option.ts'
import { namedUris } from '../places.ts'
import { text } from '../text-kind.ts'

export const backends = defineSection({
  heading: 'Backends',
  options: {
    externalGrpcBackends: option(namedUris, {
      flag: 'external-grpc-backends',
      env: ['SVC_EXTERNAL_GRPC_BACKENDS'],
      default: '',
      about: 'more backends: each a program to start or the host:port of one that runs',
    }),
    forceMetaBackendCapability: option(text, {
      env: ['SVC_FORCE_META_BACKEND_CAPABILITY'],
      default: '',
      shownDefault: 'what the machine has',
      about: 'builds to prefer: nvidia, amd, intel, metal, vulkan or default',
    }),
    grpcAuthToken: option(text, {
      env: ['SVC_GRPC_AUTH_TOKEN'],
      secret: true,
      about: 'bearer token for backends that run elsewhere',
    }),
  },
})
