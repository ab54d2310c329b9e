/** Who is on this server: users, groups, services; and what was done by whom. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type User = Schemas["UserView"];
export type NewUser = Schemas["NewUserView"];
export type UserRole = Schemas["UserRole"];
export type Group = Schemas["GroupView"];
export type Service = Schemas["ServiceView"];
export type ActsFor = Schemas["ActsFor"];
export type AuditEntry = Schemas["AuditEntryView"];
export type NewToken = Schemas["NewTokenView"];

const PEOPLE = ["people"];

function useChange<In, Out>(change: (wanted: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: PEOPLE }),
  });
}

export const useUsers = (q: string) =>
  useInfiniteQuery({
    queryKey: [...PEOPLE, "users", q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET("/api/v1/users", {
          params: { query: { kind: "person", ...(q && { q }), ...(pageParam && { after: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const useAddUser = () =>
  useChange((body: Schemas["CreateUser"]) => answer(api.POST("/api/v1/users", { body })));

const of = (user_id: string) => ({ params: { path: { user_id } } });

export const useChangeUser = () =>
  useChange(({ id, role }: { id: string; role: UserRole }) =>
    answer(api.PATCH("/api/v1/users/{user_id}", { ...of(id), body: { role } })),
  );

export const useSuspendUser = () =>
  useChange(({ id, isSuspended }: { id: string; isSuspended: boolean }) =>
    isSuspended
      ? answer(api.POST("/api/v1/users/{user_id}/suspend", of(id)))
      : answer(api.POST("/api/v1/users/{user_id}/activate", of(id))),
  );

/** What becomes of the chats of somebody who is deleted. */
export type ChatsAfter = "archive" | "transfer" | "erase";

export interface Leaving {
  id: string;
  chats: ChatsAfter;
  /** Who gets them, with `transfer`. */
  to?: string;
}

export type Deleted = Pick<User, "id" | "name">;

const leaving = ({ id, ...query }: Leaving) => ({ params: { path: { user_id: id }, query } });

export const useDeleteUser = () =>
  useChange((who: Leaving) => answer(api.DELETE("/api/v1/users/{user_id}", leaving(who))));

/** Within 14 days. */
export const useRestoreUser = () =>
  useChange((id: string) => answer(api.POST("/api/v1/users/{user_id}/restore", of(id))));

/** Every browser of theirs. */
export const useSignOutUser = () =>
  useChange((id: string) => answer(api.POST("/api/v1/users/{user_id}/sign-out", of(id))));

/** The browsers in which they are signed in. */
export const useSignInsOf = (userId: string) =>
  useQuery({
    queryKey: [...PEOPLE, "sign-ins", userId],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/{user_id}/sign-ins", { ...of(userId), signal })),
  });

export const useEndSignInOf = (userId: string) =>
  useChange((id: string) =>
    answer(
      api.DELETE("/api/v1/users/{user_id}/sign-ins/{sign_in_id}", {
        params: { path: { user_id: userId, sign_in_id: id } },
      }),
    ),
  );

export const useSignInLink = () =>
  useChange((id: string) => answer(api.POST("/api/v1/users/{user_id}/sign-in-link", of(id))));

export const useGroups = () =>
  useQuery({
    queryKey: [...PEOPLE, "groups"],
    queryFn: ({ signal }) => everyGroup(signal),
  });

/** A server has at most a thousand, in pages of a hundred. */
async function everyGroup(signal: AbortSignal): Promise<Group[]> {
  const groups: Group[] = [];
  let after: string | null = "";
  while (after !== null) {
    const query = { after, limit: 100 };
    const page: Schemas["GroupPage"] = await answer(api.GET("/api/v1/groups", { params: { query }, signal }));
    groups.push(...page.groups);
    after = page.next ?? null;
  }
  return groups;
}

export const useAddGroup = () =>
  useChange((name: string) => answer(api.POST("/api/v1/groups", { body: { name } })));

const ofGroup = (group_id: string) => ({ params: { path: { group_id } } });

export const useRenameGroup = () =>
  useChange(({ id, name }: { id: string; name: string }) =>
    answer(api.PATCH("/api/v1/groups/{group_id}", { ...ofGroup(id), body: { name } })),
  );

export const useDeleteGroup = () =>
  useChange((id: string) => answer(api.DELETE("/api/v1/groups/{group_id}", ofGroup(id))));

export const useMembers = (groupId: string) =>
  useInfiniteQuery({
    queryKey: [...PEOPLE, "members", groupId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET("/api/v1/groups/{group_id}/members", {
          params: { path: { group_id: groupId }, query: pageParam ? { after: pageParam } : {} },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

interface Membership {
  groupId: string;
  userId: string;
  isMember: boolean;
}

export const useSetMember = () =>
  useChange(({ groupId, userId, isMember }: Membership) => {
    const params = { params: { path: { group_id: groupId, user_id: userId } } };
    return isMember
      ? answer(api.PUT("/api/v1/groups/{group_id}/members/{user_id}", params))
      : answer(api.DELETE("/api/v1/groups/{group_id}/members/{user_id}", params));
  });

export const useServices = () =>
  useInfiniteQuery({
    queryKey: [...PEOPLE, "services"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET("/api/v1/services", { params: { query: pageParam ? { after: pageParam } : {} }, signal }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const useAddService = () =>
  useChange((body: Schemas["CreateService"]) => answer(api.POST("/api/v1/services", { body })));

export const useDeleteService = () =>
  useChange((who: Leaving) => answer(api.DELETE("/api/v1/services/{user_id}", leaving(who))));

export const useAddServiceToken = () =>
  useChange(({ id, ...body }: { id: string } & Schemas["CreateToken"]) =>
    answer(api.POST("/api/v1/users/{user_id}/tokens", { ...of(id), body })),
  );

export const useTokensOf = (userId: string) =>
  useQuery({
    queryKey: [...PEOPLE, "tokens", userId],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/{user_id}/tokens", { ...of(userId), signal })),
  });

const ofToken = (user_id: string, token_id: string) => ({ params: { path: { user_id, token_id } } });

export const useRevokeTokenOf = (userId: string) =>
  useChange((tokenId: string) =>
    answer(api.DELETE("/api/v1/users/{user_id}/tokens/{token_id}", ofToken(userId, tokenId))),
  );

/** The secret of before still counts for an hour, in which the program is changed over. */
const OLD_SECONDS = 3600;

export const useRotateServiceToken = () =>
  useChange(({ userId, tokenId }: { userId: string; tokenId: string }) =>
    answer(
      api.POST("/api/v1/users/{user_id}/tokens/{token_id}/rotate", {
        ...ofToken(userId, tokenId),
        body: { old_seconds: OLD_SECONDS },
      }),
    ),
  );

/** What is looked for; what is not named is not looked at. */
export interface AuditFilter {
  actor?: string;
  deed?: string;
  outcome?: AuditEntry["outcome"];
  since?: string;
  until?: string;
}

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ["audit", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET("/api/v1/audit", {
          params: { query: { ...filter, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const useVerifyAudit = () =>
  useMutation({ mutationFn: () => answer(api.GET("/api/v1/audit/verify")) });
