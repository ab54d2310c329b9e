/** MCP servers: programs and services that bring tools. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type McpServer = Schemas["McpServerView"];
export type NewMcpServer = Schemas["CreateMcpServer"];
export type McpProbe = Schemas["McpProbe"];

const SERVERS = ["mcp-servers"];
const server = (id: string) => ({ params: { path: { server_id: id } } });

export const useMcpServers = () =>
  useQuery({
    queryKey: SERVERS,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/mcp-servers", { signal })),
  });

function useChange<In, Out>(change: (wanted: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: SERVERS }),
  });
}

export const useAddMcpServer = () =>
  useChange((body: NewMcpServer) => answer(api.POST("/api/v1/mcp-servers", { body })));

export const usePatchMcpServer = () =>
  useChange(({ id, ...body }: { id: string } & Schemas["PatchMcpServer"]) =>
    answer(api.PATCH("/api/v1/mcp-servers/{server_id}", { ...server(id), body })),
  );

export const useDeleteMcpServer = () =>
  useChange((id: string) => answer(api.DELETE("/api/v1/mcp-servers/{server_id}", server(id))));

/** Connects, so the list knows more afterwards. */
export const useTestMcpServer = () =>
  useChange((id: string) => answer(api.POST("/api/v1/mcp-servers/{server_id}/test", server(id))));

/** Where the browser is to sign in. */
export const useConnectMcpServer = () =>
  useChange((id: string) => answer(api.POST("/api/v1/mcp-servers/{server_id}/oauth2/connect", server(id))));

/** With the code that the browser shows after signing in. */
export const useFinishMcpSignIn = () =>
  useChange(({ id, code }: { id: string; code: string }) =>
    answer(api.POST("/api/v1/mcp-servers/{server_id}/oauth2/finish", { ...server(id), body: { code } })),
  );

export const useDisconnectMcpServer = () =>
  useChange((id: string) =>
    answer(api.DELETE("/api/v1/mcp-servers/{server_id}/oauth2/disconnect", server(id))),
  );
