import type { FastifyReply } from 'fastify'
import type { Routes } from '../../deps.ts'
import { badRequest, conflict } from '../../http/errors.ts'
import { onPlatform } from '../../permission/guard.ts'
import { pageOfClients } from './clients.ts'
import type { BackupBegun, SystemDeps } from './deps.ts'
import {
  BackupState,
  ClientQuery,
  ConnectedClients,
  DEFAULT_CLIENTS,
  FiguresQuery,
  SystemFigures,
  SystemState
} from './state-schema.ts'

const tags = ['System']
const DEFAULT_HOURS = 24

/** [ADR-0071] What operators see and do on the page of the system. */
export const systemRoutes: Routes<SystemDeps> = (app, deps) => {
  const { systemState, figureHistory, connectedClients, backupControl, shares } = deps

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'getSystem',
        summary: 'Disk, spool, connections and what is wrong, of the node that answers',
        response: { 200: SystemState }
      },
      config: { access: onPlatform('metrics/read') }
    },
    () => systemState()
  )

  app.get(
    '/history',
    {
      schema: {
        tags,
        operationId: 'getSystemHistory',
        summary: 'Rates and latencies of the last week, recorded every minute',
        querystring: FiguresQuery,
        response: { 200: SystemFigures }
      },
      config: { access: onPlatform('metrics/read') }
    },
    ({ query }) => figureHistory(query.hours ?? DEFAULT_HOURS)
  )

  app.get(
    '/client',
    {
      schema: {
        tags,
        operationId: 'listConnectedClients',
        summary: 'MQTT clients that are connected to the embedded broker now, the first one first',
        querystring: ClientQuery,
        response: { 200: ConnectedClients }
      },
      config: { access: onPlatform('system/client/list') }
    },
    async (request, reply) => {
      const { search = '', after = 0, limit } = request.query
      const connected = connectedClients()
      if (!connected) return { broker: 'external' as const, total: 0, found: 0, clients: [] }
      await shares.take('long lists', request, reply)
      const page = { search, after, limit: limit || DEFAULT_CLIENTS }
      const answer = await pageOfClients(deps, connected, page)
      return { broker: 'embedded' as const, total: connected.length, ...answer }
    }
  )

  app.get(
    '/backup',
    {
      schema: {
        tags,
        operationId: 'getBackup',
        summary: 'The last and the next backup of the node that answers, and what is done now',
        response: { 200: BackupState }
      },
      config: { access: onPlatform('metrics/read') }
    },
    () => backupControl.state()
  )

  app.post(
    '/backup',
    {
      schema: {
        tags,
        operationId: 'makeBackup',
        faults: [409],
        summary: 'Begin a backup into CARACAL_BACKUP_DIR; GET tells how it goes on',
        response: { 202: BackupState }
      },
      config: {
        access: onPlatform('system/backup'),
        trace: { action: 'execute', object: 'platform', id: 'none', text: 'began a backup of the' },
        evenWhenFull: 'asks itself'
      }
    },
    (_request, reply) => begun(backupControl.make(), reply)
  )

  app.post(
    '/backup/verify',
    {
      schema: {
        tags,
        operationId: 'verifyBackup',
        faults: [409],
        summary: 'Begin to read all of the newest backup in CARACAL_BACKUP_DIR',
        response: { 202: BackupState }
      },
      config: {
        access: onPlatform('system/backup'),
        trace: {
          ...{ action: 'execute', object: 'platform', id: 'none' },
          text: 'began to verify the newest backup of the'
        },
        evenWhenFull: 'writes little'
      }
    },
    async (_request, reply) => begun(await backupControl.verify(), reply)
  )

  async function begun(outcome: BackupBegun, reply: FastifyReply) {
    if (outcome === 'no folder') {
      throw badRequest('no folder for backups is set on this node: set CARACAL_BACKUP_DIR')
    }
    if (outcome === 'nothing') throw badRequest('there is no backup in CARACAL_BACKUP_DIR yet')
    if (outcome === 'busy') throw conflict('a backup is being made or read already')
    reply.code(202)
    return backupControl.state()
  }
}
