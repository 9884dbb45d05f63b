import type { Messenger, Unsubscribe } from '../../cluster/contract/messenger.ts'
import { nodeSubject } from '../../cluster/contract/subjects.ts'
import { answerDelete, answerInstall, answerList, answerUpgrade, stopBackend } from './backend-requests.ts'
import { answerEnsure, answerListDir, answerStage, answerTemp } from './file-requests.ts'
import { answerModelDelete, answerRunning, answerStop, answerUnload } from './model-requests.ts'
import type { RequestParts } from './parts.ts'

/** Answers the requests of front ends to a worker. @returns ends this; running requests are aborted with the messenger */
export function serveRequests(
  messenger: Pick<Messenger, 'serve' | 'subscribe' | 'publish'>,
  options: Omit<RequestParts, 'publish'>,
): Unsubscribe {
  const parts: RequestParts = { ...options, publish: (subject, payload) => messenger.publish(subject, payload) }
  const { nodeId, logger } = parts
  const ends = [
    messenger.serve(nodeSubject(nodeId, 'backend.install'), (payload, { signal }) =>
      answerInstall(payload, signal, parts),
    ),
    messenger.serve(nodeSubject(nodeId, 'backend.upgrade'), (payload, { signal }) =>
      answerUpgrade(payload, signal, parts),
    ),
    messenger.serve(nodeSubject(nodeId, 'backend.delete'), (payload, { signal }) =>
      answerDelete(payload, signal, parts),
    ),
    messenger.serve(nodeSubject(nodeId, 'backend.list'), () => answerList(parts)),
    messenger.serve(nodeSubject(nodeId, 'model.stop'), (payload) => answerStop(payload, parts)),
    messenger.serve(nodeSubject(nodeId, 'model.unload'), (payload) => answerUnload(payload, parts)),
    messenger.serve(nodeSubject(nodeId, 'model.delete'), (payload) => answerModelDelete(payload, parts)),
    messenger.serve(nodeSubject(nodeId, 'models.running'), () => answerRunning(parts)),
    messenger.serve(nodeSubject(nodeId, 'files.ensure'), (payload) => answerEnsure(payload, parts)),
    messenger.serve(nodeSubject(nodeId, 'files.stage'), (payload) => answerStage(payload, parts)),
    messenger.serve(nodeSubject(nodeId, 'files.temp'), () => answerTemp(parts)),
    messenger.serve(nodeSubject(nodeId, 'files.listdir'), (payload) => answerListDir(payload, parts)),
    messenger.subscribe(nodeSubject(nodeId, 'backend.stop'), (payload) => {
      stopBackend(payload, parts).catch((err: unknown) => logger.error({ err }, 'a backend could not be stopped'))
    }),
    messenger.subscribe(nodeSubject(nodeId, 'stop'), () => {
      logger.info({}, 'a front end stops this worker')
      parts.stopWorker()
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}
