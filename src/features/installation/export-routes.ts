import { create } from 'content-disposition'
import type { Routes } from '../../deps.ts'
import { stoppingNow } from '../../http/errors.ts'
import { dropIfStalled, hungUp, stopping } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { executes } from '../../http/traced.ts'
import { onInstallation } from '../../permission/guard.ts'
import type { InstallationDeps } from './deps.ts'

const TYPE = 'application/octet-stream'

/** [ADR-0053] A whole site as a file, which an operator of another platform can import. */
export const installationExportRoutes: Routes<InstallationDeps> = (app, { siteFile, shares }) => {
  const stop = stopping(app)
  app.post(
    '/:installation_id/export',
    {
      schema: {
        tags: ['Installation'],
        operationId: 'exportInstallation',
        summary: 'An installation with its objects, history and files as one file',
        description:
          'It has everything of the installation, protected metadata too. The answer begins when the file is complete. `npm run caracal -- import` reads it.',
        params: InstallationParams,
        produces: [TYPE]
      },
      config: {
        access: onInstallation('site/export'),
        trace: executes('installation', 'installation_id', 'exported')
      }
    },
    async (request, reply) => {
      const { id } = request.installation
      await shares.take('exports', request, reply)
      const signal = AbortSignal.any([stop, hungUp(reply.raw)])
      const { content, bytes } = await siteFile(id, signal).catch((error: unknown) => {
        throw stop.aborted ? stoppingNow() : error
      })
      dropIfStalled(reply.raw)
      return reply
        .type(TYPE)
        .header('content-length', bytes)
        .header('content-disposition', create(`installation-${id}.site`))
        .send(content)
    }
  )
}
