import type { BackendAnswers } from '../state.ts'

/** Jobs that are complete as soon as they are watched. */
export const jobsAnswers = {
  startFineTune: ({ jobId }) => ({ jobId: jobId || 'job-1', success: true, message: 'started (mock)' }),
  async *fineTuneProgress({ jobId }) {
    for (const [index, status] of ['queued', 'training', 'completed'].entries()) {
      yield { jobId, currentStep: index, totalSteps: 2, progressPercent: index * 50, status, loss: 1 / (index + 1) }
    }
  },
  stopFineTune: () => ({ success: true, message: 'stopped (mock)' }),
  listCheckpoints: ({ outputDir }) => ({
    checkpoints: [
      { path: `${outputDir}/checkpoint-1`, step: 1, epoch: 1, loss: 0.5, createdAt: '2026-01-01T00:00:00Z' },
    ],
  }),
  exportModel: () => ({ success: true, message: 'exported (mock)' }),
  startQuantization: ({ jobId }) => ({ jobId: jobId || 'job-1', success: true, message: 'started (mock)' }),
  async *quantizationProgress({ jobId }) {
    yield { jobId, progressPercent: 0, status: 'queued' }
    yield { jobId, progressPercent: 50, status: 'quantizing' }
    yield { jobId, progressPercent: 100, status: 'completed', outputFile: `${jobId}.gguf` }
  },
  stopQuantization: () => ({ success: true, message: 'stopped (mock)' }),
} satisfies Partial<BackendAnswers>
