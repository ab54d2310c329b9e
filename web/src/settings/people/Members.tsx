import { X } from "lucide-react";
import { type Group, useMembers, useSetMember } from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { FindPeople } from "@/people/FindPeople";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { Loaded, More } from "../Loaded";

/** Who is in a group. */
export function Members({ group, mayChange }: { group: Group; mayChange: boolean }) {
  const set = useSetMember();
  const members = useMembers(group.id);
  const put = (userId: string, isMember: boolean) =>
    set.mutate(
      { groupId: group.id, userId, isMember },
      { onError: (error) => toast({ text: sentence(error), bad: true }) },
    );
  return (
    <Loaded query={members} what="Members">
      {({ pages }) => (
        <>
          <ul aria-label={`Members of ${group.name}`} className="flex flex-wrap gap-2">
            {pages
              .flatMap(({ users }) => users)
              .map((user) => (
                <li
                  key={user.id}
                  className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pl-2 text-sm"
                >
                  {user.display_name || user.name}
                  {mayChange && (
                    <IconButton
                      icon={X}
                      label={`Take ${user.name} out`}
                      onClick={() => put(user.id, false)}
                    />
                  )}
                </li>
              ))}
            {pages[0]?.users.length === 0 && <li className="text-sm text-muted">Nobody yet.</li>}
          </ul>
          <More query={members} />
          {mayChange && (
            <FindPeople
              label={`Add somebody to ${group.name}`}
              kinds={["user"]}
              onChosen={(subject) => put(subject.id, true)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
