import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { toBase64 } from '../files.ts'
import type { ServiceHost } from '../host.ts'

/** FaceVerify and FaceAnalyze. */
export function createFaceHandlers(host: ServiceHost): Pick<BackendHandlers, 'faceVerify' | 'faceAnalyze'> {
  return {
    faceVerify: async ({ ModelIdentity, img1, img2, threshold, antiSpoofing }, context) => {
      const service = host.use(ModelIdentity)
      const pair = { first: await toBase64(img1), second: await toBase64(img2) }
      const { areas, real, antispoofScores, ...rest } = await service.verifyFaces(
        { ...pair, threshold, antiSpoofing },
        toCall(context),
      )
      return {
        ...rest,
        img1Area: areas[0],
        img2Area: areas[1],
        img1IsReal: real[0],
        img2IsReal: real[1],
        img1AntispoofScore: antispoofScores[0],
        img2AntispoofScore: antispoofScores[1],
      }
    },
    faceAnalyze: async ({ ModelIdentity, img, actions, antiSpoofing }, context) => {
      const service = host.use(ModelIdentity)
      const faces = await service.analyzeFaces({ image: await toBase64(img), actions, antiSpoofing }, toCall(context))
      return { faces: [...faces] }
    },
  }
}
